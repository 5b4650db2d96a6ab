from .access_gate import (
    KEYS_VARIABLE as KEYS_VARIABLE,
    WORKERS_LIMIT as WORKERS_LIMIT,
    ServeLimits as ServeLimits,
    check_binding as check_binding,
    is_loopback as is_loopback,
    serve_keys as serve_keys,
)
from .answer_run import ServedRecipe as ServedRecipe
from .http_server import HttpServer as HttpServer
from .worker_processes import ProcessCrew as ProcessCrew, usable_cores as usable_cores

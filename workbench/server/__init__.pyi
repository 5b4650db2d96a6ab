from .access_gate import (
    KEYS_VARIABLE as KEYS_VARIABLE,
    ServeLimits as ServeLimits,
    check_binding as check_binding,
    is_loopback as is_loopback,
    serve_keys as serve_keys,
)
from .answer_run import ServedRecipe as ServedRecipe, recipe_named as recipe_named
from .http_server import HttpServer as HttpServer

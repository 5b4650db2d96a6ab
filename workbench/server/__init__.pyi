from .http_server import HttpServer as HttpServer
from .serve_settings import (
    KEYS_VARIABLE as KEYS_VARIABLE,
    ServeLimits as ServeLimits,
    check_binding as check_binding,
    serve_keys as serve_keys,
)
from .served_recipe import ServedRecipe as ServedRecipe, recipe_named as recipe_named

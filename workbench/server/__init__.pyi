from .http_server import HttpServer as HttpServer
from .serve_settings import KEYS_VARIABLE as KEYS_VARIABLE
from .serve_settings import ServeLimits as ServeLimits
from .serve_settings import check_binding as check_binding
from .serve_settings import serve_keys as serve_keys
from .served_recipe import ServedRecipe as ServedRecipe
from .served_recipe import recipe_named as recipe_named

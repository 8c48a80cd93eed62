#!/bin/sh
# Runs workerd so that on Linux it ends with the process that started it: tests that are killed cannot end what they started.
command -v setpriv >/dev/null && exec setpriv --pdeathsig KILL "$WORKERD" "$@"
exec "$WORKERD" "$@"

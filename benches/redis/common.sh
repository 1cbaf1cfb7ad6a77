# What the scripts of this folder share. To be sourced.

# Waits until a server answers. A Redis that still loads its log says so, and that is no answer.
wait_for() {
    for _ in $(seq 100); do
        [ "$(redis-cli -p "$1" ping 2>/dev/null)" != PONG ] || return 0
        sleep 0.1
    done
    echo "nobody answers at port $1" >&2
    return 1
}

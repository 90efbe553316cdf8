/* Clients that take servers and give them back, with references to processes.
 *
 * A client has a server or none, a server knows its client. Which client has which
 * server does not matter, only who has one: N = 3 gives 918 states, with
 * `--symmetry canonical` 56, and with `--symmetry references` 108.
 */
#ifndef N
#define N 3
#endif

active [N] proctype client()
{
    ref server mine;
    byte mood;

    do
    :: atomic {
        mine == _undef_ref ->
        mine = anyRef(server);
        if
        :: server[mine].customer == _undef_ref -> server[mine].customer = _lid
        :: else -> mine = _undef_ref
        fi
       }
    :: atomic {
        mine != _undef_ref ->
        assert(server[mine].customer == _lid);
        server[mine].customer = _undef_ref;
        mine = _undef_ref
       }
    :: mood = (mood + 1) % 3
    od
}

active [N] proctype server()
{
    public ref client customer;

end:
    false
}

/* Traffic lights at a crossing of two roads, and a controller that hands round the green.
 *
 * A road asks by a sensor; the controller lets one road have its green, and
 * only when that light is back to red does the other get its turn.  The two
 * roads are never open at once.
 *
 *     kripke check examples/promela/traffic_light.pml           holds
 */
mtype = { red, green, yellow };

mtype light[2];
bool waiting[2];                        /* cars stand before the light */
chan go[2] = [0] of { bit };            /* the controller says: now you */
chan back_to_red = [0] of { bit };

/* One light for each of the two roads. */
active [2] proctype signal()
{
    byte other = 1 - _pid;

    light[_pid] = red;
end_at_red:                             /* to stay red for ever is a valid end */
    do
    :: go[_pid]?_ ->
       light[_pid] = green;
       assert(light[other] != green && light[other] != yellow);
       waiting[_pid] = false;
       light[_pid] = yellow;
       light[_pid] = red;
       back_to_red!1
    od
}

active proctype cars()
{
    do
    :: !waiting[0] -> waiting[0] = true
    :: !waiting[1] -> waiting[1] = true
    od
}

active proctype controller()
{
    do
    :: waiting[0] -> go[0]!1; back_to_red?_
    :: waiting[1] -> go[1]!1; back_to_red?_
    od
}

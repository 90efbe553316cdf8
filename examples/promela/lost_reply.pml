/* A client that gives up waiting: what "timeout" means.
 *
 * The server's reply may be lost.  "timeout" becomes true when nothing else in the
 * whole model can happen; here that is exactly when the client waits for a reply
 * that will never come.  It then asks again.  Each request is served; a lost
 * reply does no harm.  Without the timeout line this model would deadlock.
 *
 *     kripke check examples/promela/lost_reply.pml              holds
 */
mtype = { question, reply };

chan to_server = [1] of { mtype };
chan to_client = [1] of { mtype };

active proctype client()
{
    byte answered;

ask:
    to_server!question;
    if
    :: to_client?reply ->
       answered++
    :: timeout ->
       goto ask                         /* the reply is lost: ask again */
    fi;
    if
    :: answered < 3 -> goto ask
    :: else -> assert(answered == 3)
    fi
}

active proctype server()
{
end:                                    /* waiting for work is a valid end */
    do
    :: to_server?question ->
       if
       :: to_client!reply
       :: skip                          /* the reply gets lost */
       fi
    od
}

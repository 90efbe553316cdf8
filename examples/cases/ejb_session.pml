/*
 * Session beans of Enterprise JavaBeans 1.1: what happens if a client calls an instance that is at work.
 *
 * After S. Nakajima and T. Tamai, Behavioural analysis of the Enterprise JavaBeans component architecture, SPIN 2001;
 * written anew. Every call carries the channels for its answer and for its exception. A session bean is not
 * reentrant: who calls it while it works for somebody else gets an exception.
 *
 * CLIENTS clients call a stateless bean: once, or with -D AGAIN again and again. With -D STATEFUL there is one client
 * that creates a bean, calls it and may remove it; a bean that nobody calls is passivated, and may time out.
 *
 *     kripke check ejb_session.pml
 *     kripke check ejb_session.pml -D AGAIN -D CLIENTS=3 --property safety
 *     kripke check ejb_session.pml -D STATEFUL
 */

#ifdef STATEFUL
#define CLIENTS 1
#endif
#ifndef CLIENTS
#define CLIENTS 2
#endif

mtype = { Create, Remove, BM };                              /* of clients */
mtype = { reqCreate, reqRemove, reqBM };                     /* to the container */
mtype = { ejbCreate, ejbRemove, ejbActivate, ejbPassivate, bm };
mtype = { Void, Value, AppError, SysError, Busy, Gone };

#ifdef STATEFUL
chan home = [1] of { mtype, chan, chan };
#endif
chan remote = [1] of { mtype, chan, chan };
chan ret[CLIENTS] = [1] of { mtype };                        /* answers to a client */
chan exc[CLIENTS] = [1] of { mtype };

chan request = [1] of { mtype, chan, chan };                 /* to the container */

chan mthd = [1] of { mtype };                                /* to the bean */
chan retv = [1] of { mtype };
chan excp = [1] of { mtype };

#define answered(c) (len(ret[c]) > 0 || len(exc[c]) > 0)

#ifdef STATEFUL
#define timed_out (Container@timedOut || Container@gone)
ltl S2 { [] (remote?[BM, _, _] -> <> (mthd?[bm] || timed_out)) }
#else
#define calls(c) remote?[BM, eval(ret[c]), eval(exc[c])]
byte works_for = CLIENTS;                                    /* the client that the bean works for */
#if CLIENTS > 1
ltl S1 { [] (works_for == 0 && <> calls(1) && (!answered(0) U len(exc[1]) > 0) -> <> answered(0)) }
#endif
ltl S3 { [] (Container@ready -> <> mthd?[ejbRemove]) }
ltl E6 { [] (mthd?[ejbRemove] -> <> (remote?[BM, _, _] -> <> mthd?[bm])) }
#endif

proctype Client(chan r; chan e)
{
#ifdef STATEFUL
    home!Create(r, e);
    if
    :: r?_
    :: e?_ -> goto done
    fi;
#endif
endLoop:
    do
    :: remote!BM(r, e) ->
       if
       :: r?_
#ifdef STATEFUL
       :: e?_ -> goto done
#else
       :: e?_
#endif
       fi;
#if !defined(STATEFUL) && !defined(AGAIN)
       break
#endif
#ifdef STATEFUL
    :: remote!Remove(r, e) ->
       if
       :: r?_
       :: e?_
       fi;
       break
#endif
    od;
#ifndef AGAIN
done:
    skip
#endif
}

active proctype StartUp()
{
    atomic {
        run Client(ret[0], exc[0]);
#if CLIENTS > 1
        run Client(ret[1], exc[1]);
#endif
#if CLIENTS > 2
        run Client(ret[2], exc[2]);
#endif
    }
}

#ifdef STATEFUL
active proctype EJBHome()
{
    chan r;
    chan e;

endLoop:
    do
    :: home?Create(r, e) -> request!reqCreate(r, e)
    od
}
#endif

active proctype EJBObject()
{
    chan r;
    chan e;

endLoop:
    do
    :: remote?BM(r, e) -> request!reqBM(r, e)
    :: remote?Remove(r, e) -> request!reqRemove(r, e)
    od
}

/* The bean does something; the container waits for it. */
inline invoke(what)
{
    mthd!what;
    retv?_
}

active proctype Container()
{
    mtype value;
    chan r;
    chan e;
#ifdef STATEFUL

endNothing:
    request?reqCreate(r, e);
    invoke(ejbCreate);
    r!Void;

endReady:
    if
    :: request?reqBM(r, e) -> goto serving
    :: request?reqRemove(r, e) -> invoke(ejbRemove); r!Void; goto gone
    :: empty(request) -> invoke(ejbPassivate)
    :: empty(request) -> goto timedOut
    fi;

endPassive:
    if
    :: request?reqBM(r, e) -> invoke(ejbActivate); goto serving
    :: request?reqRemove(r, e) -> invoke(ejbActivate); invoke(ejbRemove); r!Void; goto gone
    :: empty(request) -> goto gone
    fi;

serving:
    mthd!bm;
    if
    :: retv?value -> r!value
    :: excp?value -> e!value
    fi;
    goto endReady;

timedOut:
    invoke(ejbRemove);

gone:
endGone:
    do
    :: request?_(r, e) -> e!Gone
    od
#else
    chan other;
    chan its;

endNothing:
    request?reqBM(r, e);
    invoke(ejbCreate);
    goto serving;

ready:
endReady:
    if
    :: request?reqBM(r, e) -> goto serving
    :: empty(request) -> invoke(ejbRemove); goto endNothing
    fi;

serving:
    if
    :: r == ret[0] -> works_for = 0
    :: else -> works_for = 1
    fi;
    mthd!bm;
    do
    :: retv?value -> works_for = CLIENTS; r!value; break
    :: excp?value -> works_for = CLIENTS; e!value; break
    :: request?reqBM(other, its) -> its!Busy
    od;
    goto ready
#endif
}

active proctype SessionBean()
{
endLoop:
    do
    :: mthd?ejbCreate -> retv!Void
    :: mthd?ejbRemove -> retv!Void
    :: mthd?ejbActivate -> retv!Void
    :: mthd?ejbPassivate -> retv!Void
    :: mthd?bm -> if :: retv!Value :: excp!AppError :: excp!SysError fi
    od
}

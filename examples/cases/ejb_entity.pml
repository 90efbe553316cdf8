/*
 * An entity bean of Enterprise JavaBeans 1.1, its container, and a client.
 *
 * After S. Nakajima and T. Tamai, Behavioural analysis of the Enterprise JavaBeans component architecture, SPIN 2001;
 * written anew. A call is a message and an answer: a value or an exception. A client calls the home (create, find,
 * remove) or the remote object (a business method, remove); both pass the call on to the container, which calls the
 * bean. The container may also store, load and passivate the bean of its own accord.
 *
 * With -D RELIABLE only a business method raises an exception.
 * CLIENT: 1 {create, find}; BM*; remove   2 find; BM*; remove   3 {create, find}; BM*
 *
 *     kripke check ejb_entity.pml
 *     kripke check ejb_entity.pml --property E9 --fair weak
 */

#ifndef CLIENT
#define CLIENT 1
#endif

mtype = { Create, Find, Remove, BM };                                      /* of clients */
mtype = { reqCreate, reqFind, reqRemove, reqBM };                          /* to the container */
mtype = { ejbCreate, ejbPostCreate, ejbFind, ejbRemove, ejbActivate, ejbPassivate, ejbLoad, ejbStore, bm };
mtype = { Void, Value, AppError, SysError };

chan home = [1] of { mtype };
chan remote = [1] of { mtype };
chan ret = [1] of { mtype };            /* answers to the client */
chan exc = [1] of { mtype };

chan request = [1] of { mtype };        /* to the container */
chan retvalFC = [1] of { mtype };       /* and from it */
chan exceptFC = [1] of { mtype };

chan mthd = [1] of { mtype };           /* to the bean */
chan retv = [1] of { mtype };
chan excp = [1] of { mtype };

#define in_pool     Container@pooled
#define BM_Client   remote?[BM]
#define BM_Bean     mthd?[bm]
#define Exception   (excp?[SysError] || excp?[AppError] || exceptFC?[SysError] || exc?[SysError])
#define remove      (remote?[Remove] || home?[Remove])

ltl E1  { [] (in_pool && BM_Client -> <> mthd?[ejbActivate]) }
ltl E2  { [] (mthd?[ejbActivate] && <> BM_Bean -> (!BM_Bean U mthd?[ejbLoad])) }
ltl E3  { [] (BM_Bean && <> mthd?[ejbPassivate] -> (!mthd?[ejbPassivate] U mthd?[ejbStore])) }
ltl E4  { [] (home?[Create] -> <> mthd?[ejbCreate]) }
ltl E5  { [] (home?[Create] -> <> (mthd?[ejbCreate] && <> mthd?[ejbPostCreate])) }
ltl E6  { [] (mthd?[ejbRemove] -> <> (BM_Client -> <> BM_Bean)) }
ltl E7  { [] (remove -> <> mthd?[ejbRemove]) }
ltl E8  { [] (BM_Client -> <> BM_Bean) }
ltl E9  { [] (BM_Client -> <> (BM_Bean || Exception)) }
ltl E10 { ! <> (BM_Client && <> BM_Bean) }

proctype Client()
{
    if
#if CLIENT != 2
    :: home!Create
#endif
    :: home!Find
    fi;
    if
    :: ret?_
    :: exc?_ -> goto endClient
    fi;
endLoop:
    do
    :: remote!BM ->
       if
       :: ret?_
       :: exc?_ -> goto endClient
       fi
#if CLIENT != 3
    :: remote!Remove ->
       if
       :: ret?_
       :: exc?_
       fi;
       break
    :: home!Remove ->
       if
       :: ret?_
       :: exc?_
       fi;
       break
#endif
    od;
endClient:
    skip
}

/* prepares what the client needs: a bean that it can find */
active proctype StartUp()
{
#if CLIENT == 2
    home!Create;
    if
    :: ret?_
    :: exc?_ -> goto endStartUp
    fi;
#endif
    run Client();
endStartUp:
    skip
}

/* passes a call on to the container, and its answer to the client */
inline delegate(what)
{
    { request!what; retvalFC?value -> ret!value }
    unless
    { exceptFC?value -> exc!value }
}

active proctype EJBHome()
{
    mtype value;

endLoop:
    do
    :: home?Create -> delegate(reqCreate)
    :: home?Find -> delegate(reqFind)
    :: home?Remove -> delegate(reqRemove)
    od
}

active proctype EJBObject()
{
    mtype value;

endLoop:
    do
    :: remote?BM -> delegate(reqBM)
    :: remote?Remove -> delegate(reqRemove); break
    od
}

/* calls the bean; an exception leads to `failed` */
inline invoke(what)
{
    mthd!what;
    if
    :: retv?value
    :: excp?value -> goto failed
    fi
}

/* The container's own services wait while there is a request, see docs/cases/ejb.md. */
active proctype Container()
{
    mtype value;
    bit asked;        /* somebody waits for the end of what is done */

pooled:
endPooled:
    if
    :: request?reqCreate ->
       asked = 1;
       invoke(ejbCreate);
       invoke(ejbPostCreate);
       retvalFC!Void;
       goto load_enabled
    :: request?reqFind ->
       asked = 1;
       invoke(ejbFind);
       retvalFC!Value;
       goto pooled
    :: request?reqBM ->
       asked = 1;
       invoke(ejbActivate);
       invoke(ejbLoad);
       invoke(bm);
       retvalFC!value;
       goto store_enabled
    :: request?reqRemove ->       /* no instance is there to be removed */
       retvalFC!Void;
       goto pooled
    fi;

load_enabled:
endLoad:
    if
    :: request?reqBM -> asked = 1; invoke(bm); retvalFC!value; goto store_enabled
    :: request?reqRemove -> goto removing
    :: request?reqFind -> retvalFC!Value; goto load_enabled
    :: empty(request) -> asked = 0; invoke(ejbLoad); goto store_enabled
    :: empty(request) -> asked = 0; goto passivating
    fi;

store_enabled:
endStore:
    if
    :: request?reqBM -> asked = 1; invoke(bm); retvalFC!value; goto store_enabled
    :: request?reqRemove -> goto removing
    :: request?reqFind -> retvalFC!Value; goto store_enabled
    :: empty(request) -> asked = 0; invoke(ejbStore); goto load_enabled
    :: empty(request) -> asked = 0; goto passivating
    fi;

removing:
    asked = 1;
    invoke(ejbRemove);
    retvalFC!Void;
    goto pooled;

passivating:
    invoke(ejbStore);
    invoke(ejbPassivate);
    goto pooled;

failed:
    /* the instance is of no use any more; who waits hears of it */
    if
    :: asked -> exceptFC!SysError
    :: else
    fi;
    goto pooled
}

#ifdef RELIABLE
#define ANSWER(value) retv!value
#else
#define ANSWER(value) if :: retv!value :: excp!SysError fi
#endif

active proctype EntityBean()
{
endLoop:
    do
    :: mthd?ejbCreate -> ANSWER(Void)
    :: mthd?ejbPostCreate -> ANSWER(Void)
    :: mthd?ejbFind -> ANSWER(Value)
    :: mthd?ejbRemove -> ANSWER(Void)
    :: mthd?ejbActivate -> ANSWER(Void)
    :: mthd?ejbPassivate -> ANSWER(Void)
    :: mthd?ejbLoad -> ANSWER(Void)
    :: mthd?ejbStore -> ANSWER(Void)
    :: mthd?bm -> if :: excp!AppError :: ANSWER(Value) fi
    od
}

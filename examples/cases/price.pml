/*
 * Priority pricing: users of a congested line buy places in classes of service.
 *
 * After C. Yuen and W. Tjioe, Modeling and verifying a price model for congestion control in computer networks using
 * Promela/Spin, SPIN 2001; written anew. Class i costs PRICE(i) for each packet. What is sent in the dearest classes
 * goes through, what does not fit is lost. The best class with losses is the best-effort class, the next one is the
 * premium class. Round after round, and in any order, each user compares what a packet that arrives costs in both,
 * and sends what brings the most: A*A / 4 price^2 packets in the premium class, or A*A * P / 4 price^2 in the
 * best-effort class, where P is the part that arrives there.
 *
 * Three things to do with it:
 *
 *     kripke check price.pml --property settles                       what user 0 sends comes to rest
 *     kripke simulate price.pml -D R=10 -D TABLE -q                   the paper's Table 1
 *     kripke check price.pml -D ADMINISTRATOR --symmetry canonical    demand times price stays what it is
 *
 * With -D WITHIN=6 an assertion says that nobody changes anything by more than 1 packet from round 6 on.
 */

#ifndef R
#define R 2                       /* users */
#endif
#define N 5                       /* classes */
#define CAPACITY (200 * R)        /* packets that the line carries */

#ifdef ADMINISTRATOR
#define A 200
#define PRICE(i) price[i]
#define START 6                   /* price of class 3, which will be the best-effort class */
#define PRODUCT (14142 * R / 10)  /* demand times price at rest: sqrt(R A^2 CAPACITY) / 2 */
#define BOUND(a, b, c) ((a) - (b) <= (c) && (a) - (b) >= -(c))
#else
#define A 100
#define PRICE(i) (i)
#endif

byte class[R];                    /* where a user sends, 0: nowhere yet */
short amount[R];                  /* and how many packets */
short demand;                     /* all packets of all users */
short of_class[N + 1];            /* packets in every class */
byte best = 1;                    /* best-effort class */
short carried = 1;                /* carried / offered is the part that arrives there */
short offered = 1;
byte still = R;                   /* users that have not moved in this round */
bit round;                        /* the number of the round, modulo 2 */
bit moved[R];                     /* the round for which a user has moved, the other way round */
bit told;                         /* the line has told what arrives */

#if defined(ADMINISTRATOR) || defined(WITHIN)
#define CALM
bit calm = 1;                     /* nobody changed anything by more than 1 in this round */
#endif
#ifdef WITHIN
byte rounds = 1;                  /* the number of the round, WITHIN at most */
#endif

#ifdef ADMINISTRATOR
byte price[N + 1] = START;
#elif !defined(WITHIN)
/* what user 0 did in the round before */
byte class_before;
short amount_before;

#define BESIDE(a, b) ((a) - (b) <= 1 && (b) - (a) <= 1)

ltl settles { <> [] (class[0] == class_before && BESIDE(amount[0], amount_before)) }
#endif

/* user u sends n packets in class c */
inline send(u, c, n)
{
#ifdef CALM
    if
    :: class[u] != c || amount[u] - (n) > 1 || (n) - amount[u] > 1 -> calm = 0
    :: else
    fi;
#else
    if
    :: u == 0 -> class_before = class[0]; amount_before = amount[0]
    :: else
    fi;
#endif
    of_class[class[u]] = of_class[class[u]] - amount[u];
    demand = demand - amount[u] + (n);
    class[u] = c;
    amount[u] = n;
    of_class[c] = of_class[c] + amount[u];
    moved[u] = !moved[u];
    still--;
    told = 0
}

#define COST      (PRICE(best) * offered)                 /* of a packet that arrives, times carried */
#define PREMIUM   (PRICE(best + 1) * carried)
#define IN_BEST   (A * A * carried / (4 * PRICE(best) * PRICE(best) * offered))
#define IN_NEXT   (A * A / (4 * PRICE(best + 1) * PRICE(best + 1)))

#ifdef TABLE
/* the order of the paper's Table 1, and its choice where both classes cost the same */
byte turn;
byte order[20];
#define MAY_MOVE(u) (turn < 20 && order[turn] == u)
#define TIE false
#else
#define MAY_MOVE(u) (moved[u] == round)
#define TIE (COST == PREMIUM)
#endif

active [R] proctype user()
{
end:
    do
    :: atomic {
        told && MAY_MOVE(_pid) ->
        if
        :: d_step { best < N && (COST > PREMIUM || TIE) -> send(_pid, best + 1, IN_NEXT) }
        :: d_step { best == N || COST <= PREMIUM -> send(_pid, best, IN_BEST) }
        fi;
#ifdef TABLE
        d_step {
            turn++;
            printf("%d: user %d sends %d in class %d, all send %d\n", turn, _pid, amount[_pid], class[_pid], demand)
        }
#endif
       }
    od
}

/* The line: what arrives of which class. Between the rounds it lets everybody move again. */
active proctype line()
{
    byte c;
    short left;

#ifdef TABLE
    d_step {
        order[0] = 7; order[1] = 0; order[2] = 4; order[3] = 9; order[4] = 2;
        order[5] = 1; order[6] = 5; order[7] = 6; order[8] = 8; order[9] = 3;
        order[10] = 9; order[11] = 8; order[12] = 7; order[13] = 2; order[14] = 1;
        order[15] = 3; order[16] = 5; order[17] = 0; order[18] = 6; order[19] = 4
    };
#endif
#ifdef ADMINISTRATOR
    d_step { price[1] = 2; price[2] = 4; price[4] = 8; price[5] = 10 };
#endif
end:
    do
    :: atomic {
        !told ->
        d_step {
            /* every class takes what the dearer ones left, while all of it fits */
            left = CAPACITY;
            c = N;
            do
            :: c > 1 && left > of_class[c] -> left = left - of_class[c]; c--
            :: else -> break
            od;
            best = c;
            if
            :: left > of_class[c] -> carried = 1; offered = 1
            :: else -> carried = left; offered = of_class[c]
            fi;
            c = 0;
            left = 0
        };
        if
        :: still == 0 ->
#ifdef ADMINISTRATOR
           if
           :: calm ->
              assert(BOUND(demand * PRICE(best), PRODUCT, 20));
              if
              :: price[3] = START - 1
              :: price[3] = START
              :: price[3] = START + 1
              fi
           :: else
           fi;
#endif
#ifdef WITHIN
           if
           :: rounds < WITHIN -> rounds++
           :: else -> assert(calm)
           fi;
#endif
           d_step {
               still = R;
#ifdef CALM
               calm = 1;
#endif
               round = !round
           }
        :: else
        fi;
        told = 1
       }
    od
}

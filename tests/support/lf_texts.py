"""Programs in LF that several tests use."""

from __future__ import annotations

FIGURE_5 = """MODULE ProdCons;
IMPORT Out;
TYPE Msg = [data(INTEGER),end];
PORT q : Msg;

PROCESS Producer(out : Msg);
VAR  i : INTEGER;
BEGIN
    i := 0;
    WHILE i < 100 DO
        out!data(i); INC(i)
    END;
    out!end
END Producer;

PROCESS Consumer(in : Msg);
VAR  x : INTEGER;  more : BOOLEAN;
BEGIN
    more := TRUE;
    WHILE more DO
        SELECT
            WHEN in?data(x) THEN Out.Int(x)
            WHEN in?end THEN more := FALSE
        END
    END
END Consumer;

BEGIN
    NEW(q);
    CREATE Producer(q);
    CREATE Consumer(q)
END ProdCons.
"""

#: Figure 7 of the document inside a module; the name after its END is the document's
FIGURE_7 = """MODULE Alternate;
VAR p : BOOLEAN;

PROCESS Toggle;
BEGIN
    {toggle}
END Toggle;

PROPERTY GFp;
VAR   s : INTEGER;
BEGIN
    WHILE TRUE DO
        IF s = 0 THEN
            CHOICE
                s := 0
            OR
                IF (p) THEN
                    s := 1;
                    ACCEPT
                ELSE
                    s := 0
                END
            END
        ELSIF s = 1 THEN
            RESCHEDULE;
            s := 0
        END
    END
END P;

BEGIN
    CREATE Toggle
END Alternate.
"""

FIGURE_9 = """MODULE GenDevice;
IMPORT SYSTEM;

PROCESS Device(int : InterruptChannel);
CONST DevicePort1 = 2FFH
VAR notdone : BOOLEAN;
    ins : INT8;  msg32 : INT32;
BEGIN
    WHILE TRUE DO
        int!INTERRUPT;
        notdone := true;
        WHILE notdone DO
            SELECT
                WHEN SYSTEM.IOPORT?PORTIN(ins,portno,msg32)
                    & (portno = DevicePort1) THEN
                    (* change state of device *)
                    notdone := false
                WHEN SYSTEM.IOPORT?PORTOUT(ins,DevicePort1,msg32) THEN
                    (* change state of device *)
                    notdone := false
            END
        END
    END
END Device;

BEGIN
    NEW(SYSTEM.InterruptN);
    CREATE Device(SYSTEM.InterruptN);
END;
"""


def queues(senders: int) -> str:
    """Senders and one receiver on one channel."""
    created = "; ".join(["CREATE Sender(q)"] * senders)
    return f"""MODULE Queues;
TYPE Msg = [sig];
PORT q : Msg;
PROCESS Sender(out : Msg);
BEGIN
  WHILE TRUE DO out!sig END
END Sender;
PROCESS Receiver(in : Msg);
BEGIN
  WHILE TRUE DO in?sig END
END Receiver;
BEGIN
  NEW(q); CREATE Receiver(q); {created}
END Queues.
"""


def peterson(n: int, wait: str) -> str:
    """Peterson's algorithm for n processes: RESCHEDULE behind every access to a shared variable and every INC(j)."""
    waiting = {
        "while": "WHILE (flag[j] >= k) & (turn[k] = me) DO RESCHEDULE END",
        "repeat": "REPEAT RESCHEDULE UNTIL (flag[j] < k) OR (turn[k] # me)",
    }[wait]
    created = "; ".join(f"CREATE User({me})" for me in range(n))
    return f"""MODULE Peterson;
CONST N = {n};
VAR flag, turn : ARRAY N OF INT8; ncrit : INT8;
PROCESS User(me : INT8);
VAR j, k : INT8;
BEGIN
  WHILE TRUE DO
    k := 0;
    WHILE k < N - 1 DO
      flag[me] := k; RESCHEDULE;
      turn[k] := me; RESCHEDULE;
      j := 0;
      WHILE j < N DO
        IF j = me THEN INC(j); RESCHEDULE
        ELSE {waiting}; INC(j); RESCHEDULE
        END
      END;
      INC(k)
    END;
    INC(ncrit); RESCHEDULE;
    ASSERT(ncrit = 1); RESCHEDULE;
    DEC(ncrit); RESCHEDULE;
    flag[me] := 0; RESCHEDULE
  END
END User;
BEGIN
  {created}
END Peterson.
"""

/* The alternating bit protocol with its data in ASN.1 (parcels.asn1): parcels and notices may be damaged on their way,
 * and every parcel arrives once and in order. Ranges are checked: a number that its type does not have is an error. */
import types from "parcels.asn1"

chan there = [1] of { Parcel };
chan back = [1] of { Notice };

active proctype Sender()
{
	Parcel next;
	Notice answer;

	do
	:: there!next;
	   back?answer;
	   if
	   :: present(answer.received) ->
		assert(answer.received == next.phase);
		next = { phase 1 - next.phase, number (next.number + 1) % (last + 1) }
	   :: present(answer.damaged) /* send it again */
	   fi
	od
}

active proctype Receiver()
{
	Parcel parcel;
	Notice answer;
	Phase expected;
	Number wanted;
	Log log;

	do
	:: there?parcel;
	   if
	   :: parcel.phase == expected ->
		assert(parcel.number == wanted);
		if
		:: log.length < 2 -> log.length++
		:: else -> log[0] = log[1]
		fi;
		log[log.length - 1] = parcel.number;
		assert(log.length < 2 || log[1] == (log[0] + 1) % (last + 1));
		wanted = (wanted + 1) % (last + 1);
		expected = 1 - expected
	   :: parcel.phase != expected
	   fi;
	   if
	   :: answer = received : parcel.phase
	   :: answer = damaged : NULL
	   fi;
	   back!answer
	:: there?parcel -> /* the parcel itself is damaged */
	   answer = damaged : NULL;
	   back!answer
	od
}

"""Programs with a heap: functions, objects, threads; a stack machine whose states are canonical images of memory."""

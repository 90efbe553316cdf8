/* A tournament: four processes, two matches and a final, each by Peterson's algorithm for two. */
bool wants[6];                  /* two sides of match 0, match 1 and the final */
bool late[3];
byte inside;

#define MATCH   (_pid / 2)
#define SIDE    (_pid % 2)
#define mine(m, s)   wants[2 * (m) + (s)]

active [4] proctype player()
{
    do
    :: mine(MATCH, SIDE) = true;
       late[MATCH] = SIDE;
       !mine(MATCH, 1 - SIDE) || late[MATCH] != SIDE;
       mine(2, MATCH) = true;
       late[2] = MATCH;
       !mine(2, 1 - MATCH) || late[2] != MATCH;
       inside++;
       assert(inside == 1);
       inside--;
       mine(2, MATCH) = false;
       mine(MATCH, SIDE) = false
    od
}

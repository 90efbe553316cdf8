const PER_SECOND = [0.5, 1, 2, 4, 8, 16, 40];

/* Goes on by itself, step by step, as fast as it is told; ends where there is no further step. */
export function player({ speed, shown, step }) {
  let playing = false, turn = 0;
  const pause = () => 1000 / PER_SECOND[Number(speed.value)];
  async function go(mine) {
    while (playing && turn === mine) {
      const begun = performance.now();
      if (!(await step())) return stop();
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, pause() - (performance.now() - begun))));
    }
    return undefined;
  }
  function stop() { playing = false; shown(false); }
  function toggle() {
    if (playing) return stop();
    playing = true;
    shown(true);
    return go(++turn);
  }
  return { toggle, stop };
}

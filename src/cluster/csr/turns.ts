/**
 * A turnstile: at most `most` acts run at a time, the others wait for their turn in the order they came.
 * @returns runs the act when it is its turn, and gives what it gives
 */
export function takeTurns(most: number): <T>(act: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (act) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await act();
    } finally {
      // Who waits takes the place over: nobody who comes in between can.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}

/**
 * A turnstile: runs at most `most` acts at a time; the others wait for their turn in the order they came.
 * @returns runs the act when it is its turn, and returns its result
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
      // The next in line takes the place over: nobody who comes in between can.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}

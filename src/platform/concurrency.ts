/**
 * Runs at most `limit` tasks at a time; the others wait in the order of their calls.
 * @returns a function that runs a task when a slot is free, and returns its result
 */
export function limitConcurrency(limit: number): <T>(task: () => Promise<T>) => Promise<T> {
  let runningCount = 0;
  const queue: (() => void)[] = [];
  return async (task) => {
    if (runningCount >= limit) await new Promise<void>((resolve) => queue.push(resolve));
    else runningCount += 1;
    try {
      return await task();
    } finally {
      // The slot passes to the next task in the queue, so that a new caller cannot take it.
      const startNext = queue.shift();
      if (startNext) startNext();
      else runningCount -= 1;
    }
  };
}

// Whoever lives longer than it takes to start shares a bastion with everything else for hours: from then on V8's heap grows by a
// fifth at a time instead of doubling, and its nursery no more, so that what passes through leaves no lasting mark. Not before:
// loading would take a tenth longer. (`--optimize-for-size` is no smaller, and takes half as much time again.)
// An hour of polling at 50 nodes, 40 operators and 500 requests: see `npm run bench hour-of-polling`.
const STARTED_MS = 1000;

setTimeout(() => {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  setFlagsFromString('--heap-growing-percent=20');
  setFlagsFromString('--semi-space-growth-factor=1');
}, STARTED_MS).unref();

// Whoever lives longer than it takes to start shares a bastion with everything else for hours: V8 then collects garbage when a
// little has gathered instead of letting the heap grow with what passes through it. Not before: loading would take a tenth
// longer. An hour of polling at 50 nodes, 40 operators and 500 requests: see `npm run bench hour-of-polling`.
import { setFlagsFromString } from 'node:v8';

const STARTED_MS = 2000;

setTimeout(() => setFlagsFromString('--optimize-for-size'), STARTED_MS).unref();

import { testEveryMove } from './every-move.ts';

// The oldest version and the one of the example. The versions between and after them: every-move.system.test.ts.
for (const version of ['4.5.41', '4.18.9']) testEveryMove(version);

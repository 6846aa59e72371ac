import { testEveryMove } from './every-move.ts';

// The oldest and the one of the example; the versions between and after them: every-move.system.test.ts.
for (const version of ['4.5.41', '4.18.9']) testEveryMove(version);

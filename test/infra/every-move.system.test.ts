import { testEveryMove } from './every-move.ts';

// Too slow for the fast tests, which play the oldest version and the one of the example.
for (const version of ['4.6.1', '4.10.3', '4.14.2', '4.16.0', '4.22.1', '5.0.0']) testEveryMove(version);

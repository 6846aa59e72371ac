// Zod with interpreted instead of compiled schemas: each document is read a few times at most, and compiling takes ten
// times as long as reading.
import { config } from 'zod';

config({ jitless: true });

export * from 'zod';

// The boot server as a program of its own (a job that outlives the terminal): `node boot-server.js CONFIG [--lang L]`.
import { startLanguage } from '../../text/languages.ts';
import { asTrouble } from '../../text/trouble.ts';
import { startBootServer } from './boot-server.ts';

// What it prints goes to a log; a full disk there is no reason to end.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
const { argv } = await startLanguage(process.argv.slice(2), process.env);
try {
  const server = await startBootServer(argv[0] ?? '');
  process.on('SIGHUP', () => server.reload());
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      void server.close().then(() => process.exit(0));
    });
  }
} catch (error) {
  const { title, cause, whatToDo } = asTrouble(error);
  process.stderr.write(`${title}: ${cause} ${whatToDo}\n`);
  process.exitCode = 1;
}

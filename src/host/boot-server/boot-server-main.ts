import { ensureLanguage, selectLanguage } from '../../i18n/catalogue.ts';
import { toUserError } from '../../i18n/user-error.ts';
import { startBootServer } from './boot-server.ts';

// The boot server as a separate program (a job that outlives the terminal): `node boot-server.js CONFIG [--lang L]`.

// Its output goes to a log; a full disk there must not end the server.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
const { argv } = selectLanguage(process.argv.slice(2), process.env);
try {
  const server = await startBootServer(argv[0] ?? '');
  process.on('SIGHUP', () => server.reload());
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      void server.close().then(() => process.exit(0));
    });
  }
} catch (error) {
  await ensureLanguage();
  const { title, cause, remedy } = toUserError(error);
  process.stderr.write(`${title}: ${cause} ${remedy}\n`);
  process.exitCode = 1;
}

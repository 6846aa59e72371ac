import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { expect, onTestFinished } from 'vitest';
import { exampleSite } from '../../support/example-design.ts';
import { testInNamespace } from '../../support/namespace.ts';
import { getBuiltProgram } from '../../support/rehearsal-run.ts';

const SOURCES = resolve(import.meta.dirname, '../../../src');

testInNamespace()(
  'a site with a full disk continues and reports that it is not saved; with free space it is saved again',
  async () => {
    const base = mkdtempSync(join(tmpdir(), 'full-'));
    onTestFinished(() => rmSync(base, { recursive: true, force: true }));
    const dir = join(base, 'site');
    mkdirSync(dir);
    writeFileSync(join(base, 'design.json'), JSON.stringify(exampleSite()));
    writeFileSync(
      join(base, 'play.ts'),
      `import { appendFileSync, readFileSync, rmSync } from 'node:fs';
     import { startSite } from ${JSON.stringify(`${SOURCES}/rehearsal/site-client.ts`)};
     import { systemClock } from ${JSON.stringify(`${SOURCES}/platform/clock.ts`)};
     import { initLanguage } from ${JSON.stringify(`${SOURCES}/i18n/catalogue.ts`)};
     import { readSiteProblems } from ${JSON.stringify(`${SOURCES}/cli/rehearsal-site.ts`)};
     await initLanguage(['--lang', 'en'], {});
     const options = { siteDir: '${dir}', design: JSON.parse(readFileSync('${base}/design.json', 'utf8')), speed: 60, seed: 1, faults: [],
       siteProgram: '${getBuiltProgram('site')}', standInProgram: '${getBuiltProgram('stand-in')}' };
     const until = async (look) => { while (!(await look())) await systemClock.sleep(50); };
     const running = () => JSON.parse(readFileSync('${dir}/running.json', 'utf8')).pid;
     let site = await startSite(options);
     const pid = running();
     try { for (;;) appendFileSync('${dir}/rest', 'x'.repeat(512)); } catch (error) { console.log(error.code); }
     await site.manualActions.powerOn('bs');
     await until(async () => (await site.getStatus()).unsaved !== null);
     const [found] = await readSiteProblems(site);
     console.log(found.title.replace(/\\d\\d:\\d\\d/, 'TIME'), '|', found.cause.slice(0, 6));
     await site.manualActions.powerOn('m1');
     console.log(process.kill(pid, 0), (await site.getStatus()).machines.filter(({ isOn }) => isOn).map(({ name }) => name).join());
     rmSync('${dir}/rest');
     await until(async () => (await site.getStatus()).unsaved === null);
     process.kill(pid, 'SIGKILL');
     site = await startSite(options);
     console.log(running() !== pid, (await site.getStatus()).machines.filter(({ isOn }) => isOn).map(({ name }) => name).join());
     await site.stop();`,
    );
    // No process is left behind: the process namespace ends with its first process.
    const flags = [process.getuid?.() === 0 ? '-mpf' : '-rmpf', '--kill-child', '--mount-proc'];
    const mountScript = 'mount -t tmpfs -o size=1m small "$1" && shift && exec "$@"';
    const { stdout } = await execa('unshare', [
      ...flags,
      'sh',
      '-c',
      mountScript,
      'sh',
      dir,
      process.execPath,
      join(base, 'play.ts'),
    ]);
    expect(stdout.split('\n')).toEqual([
      'ENOSPC',
      'The rehearsal has not been saved since TIME | ENOSPC',
      'true bs,m1',
      'true bs,m1',
    ]);
  },
);

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSession } from '../../../src/session/store.ts';
import { AT_HOSTS, asking, questionsIn, TYPED, tracedSession } from '../answers.ts';
import { contentsOf, differences, environmentIn, OFFLINE, PROGRAM, unlike, writeDesign } from '../place.ts';
import { newTally, type Row, spread, type Tally, type Torture } from '../row.ts';
import { changes, killPoints, readCalls, run, type TracedRun, traced } from '../strace.ts';

const ERRORS = ['ENOSPC', 'EIO', 'EROFS', 'EDQUOT'] as const;

/** Disks that are full, broken or read-only, under the wizard, generate, and the commands that look. */
export const fullDisk: Row = {
  what: 'ENOSPC, EIO, EROFS and EDQUOT from each kind of system call that writes; tmpfs and ext4 of 20 sizes each that fill up; a file system that is read-only: under the wizard, generate and the commands that look',
  target:
    '>= 200 cases; said in a sentence, never as our fault (exit 1); what was saved can be read, and the next run goes on',
  least: 200,
  needs: ['strace', 'unshare', 'mke2fs', 'mount', 'root'],
  async run(torture) {
    const tally = newTally(torture.say);
    const asked = await tracedSession(torture);
    const injected = await refused(torture, tally, asked.saved);
    const filled = await filling(torture, tally, asked.saved);
    const looked = await readOnly(torture, tally, asked.dir);
    const figure = `${injected} refused calls, ${filled} disks that fill up, ${looked} commands on a read-only disk`;
    return { cases: injected + filled + looked, failures: tally.failures, figure };
  },
};

/** What a person must not see when a disk does not take what is written. */
function rude({ code, stdout, stderr }: TracedRun): string[] {
  const said = stdout + stderr;
  return [
    ...(code === 1 || code === null ? [`it ended with ${code}: ${said.slice(-400)}`] : []),
    ...(/^ +at .*[:(]\d+/m.test(said) ? [`a stack trace: ${said.slice(-400)}`] : []),
  ];
}

/** The session goes on from the saves that were confirmed, once the disk takes writes again. */
async function goesOn(torture: Torture, dir: string, first: TracedRun, saved: readonly unknown[]): Promise<string[]> {
  const shown = questionsIn(first.stdout).length;
  const [file = '', ...args] = asking(dir);
  const env = environmentIn(torture.dir);
  const again = await run(file, args, { cwd: torture.dir, env, input: '\n'.repeat(60), stopAt: AT_HOSTS });
  const { design } = openSession(dir).load();
  const wanted = saved.slice(Math.max(0, shown - 2));
  const isThere = shown < 2 || wanted.some((one) => unlike(design, one).length === 0);
  return [
    ...rude(again),
    ...(isThere
      ? []
      : [`after ${shown} questions something is lost: ${unlike(design, wanted[0]).slice(0, 3).join('; ')}`]),
  ];
}

async function refused(torture: Torture, tally: Tally, saved: readonly unknown[]): Promise<number> {
  const env = environmentIn(torture.dir);
  const design = writeDesign(join(torture.dir, 'design'));
  const out = join(torture.dir, 'out');
  const dir = join(torture.dir, 'refused');
  const log = join(torture.dir, 'refused.log');
  const fresh = (path: string) => {
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path, { mode: 0o700 });
  };
  const generate = [...PROGRAM, 'generate', design, '--out', out];
  fresh(out);
  await traced({ argv: generate, cwd: torture.dir, env, log });
  const wanted = contentsOf(out);
  const inGenerate = byKind(killPoints(log, out), torture.isShort ? 1 : 3);
  fresh(dir);
  await traced({ argv: asking(dir), cwd: torture.dir, env, log, input: TYPED.join('\n'), stopAt: AT_HOSTS });
  // A short run leaves out the files of the lock, of which there are more kinds than its time allows.
  const ofSession = killPoints(log, dir).filter(({ what }) => !torture.isShort || !what.includes('/owners/'));
  const inSession = byKind(ofSession, torture.isShort ? 1 : 3);
  let cases = 0;
  const elsewhere = () => {
    cases -= 1;
    return [];
  };
  for (const [index, { name, nth, what }] of [...inGenerate, ...inSession].entries()) {
    for (const error of torture.isShort ? ERRORS.slice(index % 4, (index % 4) + 1) : ERRORS) {
      const inject = `${name}:error=${error}:when=${nth}`;
      const isGenerate = index < inGenerate.length;
      // A few kinds are enough to show that the row works.
      if (torture.isShort && index % 8 !== 0) continue;
      cases += 1;
      await tally.try(`${isGenerate ? 'generate' : 'session'}, ${error} from ${what}`, async () => {
        fresh(isGenerate ? out : dir);
        if (isGenerate) {
          const first = await traced({ argv: generate, cwd: torture.dir, env, log, inject });
          if (isElsewhere(log, out)) return elsewhere();
          const [file = '', ...args] = generate;
          const again = await run(file, args, { cwd: torture.dir, env });
          return [
            ...rude(first),
            ...(again.code === 0 ? [] : [`the next run ended with ${again.code}: ${again.stderr}`]),
            ...differences(contentsOf(out), wanted),
          ];
        }
        const input = TYPED.join('\n');
        const first = await traced({ argv: asking(dir), cwd: torture.dir, env, log, inject, input, stopAt: AT_HOSTS });
        if (isElsewhere(log, dir)) return elsewhere();
        return [...rude(first), ...(await goesOn(torture, dir, first, saved))];
      });
    }
  }
  return cases;
}

/** Threads count their calls each for themselves: the refused one may be another's, to what no disk refuses. */
function isElsewhere(log: string, below: string): boolean {
  return readCalls(log).some((call) => call.result?.includes('INJECTED') && !changes(call, below));
}

/** Some points of each kind of call. */
function byKind<T extends { readonly name: string }>(points: readonly T[], most: number): T[] {
  const kinds = new Set(points.map(({ name }) => name));
  return [...kinds].flatMap((kind) =>
    spread(
      points.filter(({ name }) => name === kind),
      most,
    ),
  );
}

/** Sizes in KiB of what is free on a disk when the program starts. */
const FREE = Array.from({ length: 20 }, (_, index) => 4 + index * 20);

async function filling(torture: Torture, tally: Tally, saved: readonly unknown[]): Promise<number> {
  const env = environmentIn(torture.dir);
  const design = writeDesign(join(torture.dir, 'design'));
  const whole = join(torture.dir, 'whole');
  const generate = (out: string) => [...PROGRAM, 'generate', design, '--out', out];
  const [program = '', ...args] = generate(whole);
  await run(program, args, { cwd: torture.dir, env });
  const wanted = contentsOf(whole);
  const asked = { input: TYPED.join('\n'), stopAt: AT_HOSTS };
  let cases = 0;
  for (const kind of ['tmpfs', 'ext4'] as const) {
    for (const free of torture.isShort ? [FREE[kind === 'ext4' ? 1 : 5] ?? 0] : FREE) {
      const fill = async (what: string, look: () => Promise<string[]>) => {
        cases += 1;
        await tally.try(`${what}, ${free} KiB free on ${kind}`, look);
      };
      const generates = async () => {
        const { first, second, dir } = await onDisk(torture, kind, free, generate);
        const failed = second.code === 0 ? [] : [`the next run ended with ${second.code}: ${second.stderr}`];
        return [...rude(first), ...failed, ...differences(contentsOf(dir), wanted)];
      };
      const asks = async () => {
        const { first, second, dir } = await onDisk(torture, kind, free, asking, asked);
        return [...rude(first), ...rude(second), ...(await goesOn(torture, dir, first, saved))];
      };
      // A short run fills a disk of each kind, under one program each.
      if (!torture.isShort || kind === 'ext4') await fill('generate', generates);
      if (!torture.isShort || kind === 'tmpfs') await fill('session', asks);
    }
  }
  return cases;
}

/** A mount namespace of its own: nothing of it is visible outside, and it ends with its script. */
const MOUNTED = `
set -eu
if [ "$KIND" = tmpfs ]; then mount -t tmpfs -o size=16m,mode=700 torture "$DIR"
else truncate -s 16M "$IMAGE"; mke2fs -q -t ext4 -m 0 "$IMAGE"; mount -o loop "$IMAGE" "$DIR"; chmod 700 "$DIR"; rmdir "$DIR/lost+found"; fi
mkdir "$DIR/d" && chmod 700 "$DIR/d"
left=$(($(stat -f -c '%a * %S' "$DIR") / 1024 - FREE))
head -c "\${left}k" /dev/zero >"$DIR/fill"
# Ends the command when it prints what STOP matches.
step() {
  name=$1; shift; set +e
  "$@" <"$INPUT" >"$OUT/$name.out" 2>"$OUT/$name.err" & command=$!
  while kill -0 $command 2>/dev/null; do
    if [ -n "$STOP" ] && grep -qE "$STOP" "$OUT/$name.out"; then kill -9 $command; fi
    sleep 0.1
  done
  wait $command; echo $? >"$OUT/$name.code"; set -e
}
step first "$@"
cp -a "$DIR/d/." "$OUT/between"
rm "$DIR/fill"
step second "$@"
cp -a "$DIR/d/." "$OUT/after"
`;

/** Runs a command twice on a disk that has so much space left; before the second run the space is there again. */
async function onDisk(
  torture: Torture,
  kind: 'tmpfs' | 'ext4',
  free: number,
  argv: (dir: string) => readonly string[],
  { input = '', stopAt }: { readonly input?: string; readonly stopAt?: RegExp } = {},
) {
  const place = join(torture.dir, 'disk');
  const out = join(torture.dir, 'disk-out');
  for (const each of [place, out]) {
    rmSync(each, { recursive: true, force: true });
    mkdirSync(each, { mode: 0o700 });
  }
  for (const each of ['between', 'after']) mkdirSync(join(out, each), { mode: 0o700 });
  writeFileSync(join(out, 'input'), input);
  const env = {
    ...environmentIn(torture.dir),
    ...{
      KIND: kind,
      DIR: place,
      FREE: String(free),
      OUT: out,
      INPUT: join(out, 'input'),
      STOP: stopAt?.source.replaceAll('\\/', '/') ?? '',
      IMAGE: join(torture.dir, 'image'),
    },
  };
  rmSync(join(torture.dir, 'image'), { force: true });
  const script = ['-m', 'bash', '-c', MOUNTED, 'disk', ...argv(join(place, 'd'))];
  const ended = await run('unshare', script, { cwd: torture.dir, env });
  if (ended.code !== 0) throw new Error(`the disk could not be made: ${ended.stderr}`);
  const step = (name: string): TracedRun => {
    const text = (suffix: string) => readFileSync(join(out, `${name}.${suffix}`), 'utf8');
    return { code: Number(text('code')), stdout: text('out'), stderr: text('err') };
  };
  return { first: step('first'), second: step('second'), dir: join(out, 'after') };
}

/** Commands by what they do with an install directory. */
const COMMANDS: readonly (readonly string[])[] = [
  ['--plain'],
  ['status'],
  ['csr', 'list'],
  ['csr', 'approve', '--all', '--yes'],
  ['infra', 'plan'],
  ['infra', 'apply', '--yes'],
  ['rehearse', '--answers', 'example', '--plain'],
];

async function readOnly(torture: Torture, tally: Tally, session: string): Promise<number> {
  const env = environmentIn(torture.dir);
  const dir = join(torture.dir, 'read-only');
  cpSync(session, dir, { recursive: true });
  const before = contentsOf(dir);
  const script = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"';
  const commands = torture.isShort ? COMMANDS.slice(0, 2) : COMMANDS;
  for (const command of commands) {
    await tally.try(`${command.join(' ')}, read-only`, async () => {
      const argv = [...OFFLINE, ...PROGRAM, ...command, '--dir', dir];
      const ended = await run('unshare', ['-m', 'sh', '-c', script, dir, ...argv], { cwd: torture.dir, env });
      return [...rude(ended), ...differences(contentsOf(dir), before)];
    });
  }
  return commands.length;
}

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ignitionPath, WEB_ROOT } from '../../artifacts/shared/layout.ts';
import { findJob } from '../../bastion/jobs/job-status.ts';
import { textProbe } from '../../bastion/probes/http-probe.ts';
import type { Answer, Question } from '../../diagnosis/site/exchange.ts';
import { ignitionExpiry, pointerProblems } from '../../installer/ignition.ts';
import { SECOND } from '../../ports/clock.ts';
import * as z from '../../ports/zod.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { StepContext } from '../contract.ts';
import { BOOT_SERVER_JOB } from '../shared/machines/serving.ts';
import { workspace } from '../shared/workspace.ts';

const words = () => catalogue().diagnosis.site.said;

type File = Question<'ignition'>['files'][number];
type Served = Pick<Answer<'ignition'>['files'][number], 'served' | 'servedBy'>;

/** bootstrap.ign of a large cluster has two megabytes. */
const MOST_BYTES = 16 * 1024 * 1024;
const TIMEOUT = 3 * SECOND;

/** Looks at the installer's ignition files and at what the boot server makes of them. Contents stay here: they hold secrets. */
export async function lookAtIgnition(
  context: Pick<StepContext, 'dir' | 'reach' | 'clock'>,
  { files }: Question<'ignition'>,
): Promise<Answer<'ignition'>> {
  const { dir, clock } = context;
  const texts = await Promise.all(files.map(({ name }) => readFile(join(dir, name), 'utf8').catch(() => null)));
  const bootstrap = texts[0] ?? null;
  const expiry = bootstrap === null ? null : ignitionExpiry(bootstrap);
  return {
    expiresAt: expiry?.earliest ?? null,
    now: clock.now(),
    files: await Promise.all(
      files.map(async (file, index) => {
        const text = texts[index] ?? null;
        const served: Served =
          text === null ? { served: 'unseen', servedBy: '' } : await servedFile(context, file, text);
        return {
          name: file.name,
          isThere: text !== null,
          problem: text === null ? null : problemOf(file, text, bootstrap),
          ...served,
        };
      }),
    ),
  };
}

function problemOf({ name, pointsTo }: File, text: string, bootstrap: string | null): string | null {
  if (pointsTo === null) return ignitionExpiry(text) === null ? words().noIgnition : null;
  const role = name.replace(/\.ign$/, '');
  const [problem] = pointerProblems(text, { role, expectedUrl: pointsTo, bootstrapIgnition: bootstrap });
  return problem === undefined ? null : `${problem.title}: ${problem.cause}`;
}

/** Our boot server names its files; another one is asked, and where it refuses us (as it should), its copy may lie on this machine. */
async function servedFile(
  context: Pick<StepContext, 'dir' | 'reach' | 'clock'>,
  file: File,
  text: string,
): Promise<Served> {
  const ours = await ourFile(context.dir, file.name);
  if (ours !== null) {
    const isSame = ours === join(context.dir, file.name);
    return { served: isSame ? 'same' : 'other', servedBy: words().servedFrom(ours) };
  }
  const { text: fetched } = await textProbe(context.reach, context.clock, file.url, TIMEOUT, MOST_BYTES);
  if (fetched !== null) return compared(fetched, text, file.url);
  const place = join(WEB_ROOT, ignitionPath('bootstrap'), '..', file.name);
  const isHere = context.reach(new URL(file.url).hostname, 80).host === new URL(file.url).hostname;
  const copy = isHere ? await readFile(place, 'utf8').catch(() => null) : null;
  return copy === null ? { served: 'unseen', servedBy: '' } : compared(copy, text, place);
}

function compared(found: string, text: string, where: string): Served {
  const isSame = digest(found) === digest(text);
  return {
    served: isSame ? 'same' : 'other',
    servedBy: words().servedAs(where, digest(found).slice(0, 12), digest(text).slice(0, 12)),
  };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

const config = z.object({ ignition: z.record(z.string(), z.object({ file: z.string() })) });

/** The file that our boot server gives for this name, while it runs; null: it does not. */
async function ourFile(dir: string, name: string): Promise<string | null> {
  const { jobs, bootConfig } = workspace(dir);
  const job = await findJob(jobs, BOOT_SERVER_JOB).catch(() => null);
  if (job?.state !== 'running') return null;
  try {
    const { ignition } = config.parse(JSON.parse(await readFile(bootConfig, 'utf8')));
    return ignition[name.replace(/\.ign$/, '')]?.file ?? null;
  } catch {
    return null;
  }
}

import type { RhcosImages } from '../../src/artifacts/files.ts';
import { generate } from '../../src/artifacts/generate.ts';
import { exampleDesign } from '../../src/design/example.ts';
import type { Design, Stage } from '../../src/design/model.ts';
import { parseDesign } from '../../src/design/parse.ts';
import { exampleCredentials } from './example-credentials.ts';

export { exampleCredentials };

/** The documented site, as `design example` prints it, with whole parts replaced. */
export function exampleSite(changes: Partial<Design> = {}): Design {
  const { design, problems } = parseDesign(exampleDesign());
  if (!design) throw new Error(`the example is wrong: ${problems.map(({ message }) => message).join(' ')}`);
  return { ...design, ...changes };
}

export const exampleImages = {
  release: '418.94.202410090804-0',
  kernel: 'rhcos-418.94.202410090804-0-live-kernel-x86_64',
  initramfs: 'rhcos-418.94.202410090804-0-live-initramfs.x86_64.img',
  rootfs: 'rhcos-418.94.202410090804-0-live-rootfs.x86_64.img',
  metal: 'rhcos-418.94.202410090804-0-metal.x86_64.raw.gz',
};

/** The text of one generated file of a design. */
export function generated(
  design: Design,
  file: string,
  stage: Stage = 'install',
  images: RhcosImages = exampleImages,
): string {
  const { files } = generate({ design, stage, credentials: exampleCredentials, images, previous: null });
  const found = files.find((candidate) => candidate.file === file);
  if (!found) throw new Error(`${file} is not among ${files.map((candidate) => candidate.file).join(', ')}`);
  return found.content;
}

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { imageSources } from '../../artifacts/boot/images.ts';
import type { Answer } from '../../diagnosis/site/exchange.ts';
import { imageStates } from '../../installer/image-sums.ts';
import { streamImages } from '../../installer/openshift-install.ts';
import type { StepContext } from '../contract.ts';
import { findInstaller } from '../shared/installer/find-installer.ts';

/** The images here, by the checksums that openshift-install publishes; each file is read once as long as it does not change. */
export async function lookAtImages(
  { design, programPath, imagesDir }: Pick<StepContext, 'design' | 'programPath' | 'imagesDir'>,
  files: readonly string[],
): Promise<Answer<'images'>> {
  const program = await findInstaller({ design, programPath });
  const stream = program === null ? null : await streamImages(program).catch(() => null);
  const sources = stream === null ? [] : imageSources(stream, design.openshift.architecture);
  return await imageStates(imagesDir, files, sources);
}

/** How many bytes a file has; null: it is not there. */
export async function sizeOf(dir: string, file: string): Promise<number | null> {
  const found = await stat(join(dir, file)).catch(() => null);
  return found?.isFile() ? found.size : null;
}

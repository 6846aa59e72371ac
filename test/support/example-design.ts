import type { RhcosImageNames } from '../../src/artifacts/boot/images.ts';
import { type GeneratedFile, generateFiles } from '../../src/artifacts/generate.ts';
import type { Stage } from '../../src/design/choices.ts';
import type { Design, ServiceHost } from '../../src/design/model.ts';
import { exampleCredentials } from './example-credentials.ts';
import { createExampleDesign } from './example-document.ts';

export { exampleCredentials };

/** Returns the documented site, as `design example` prints it, with whole parts replaced. */
export function exampleSite(changes: Partial<Design> = {}): Design {
  return { ...createExampleDesign(), ...changes };
}

export const exampleImages = {
  release: '418.94.202410090804-0',
  kernel: 'rhcos-418.94.202410090804-0-live-kernel-x86_64',
  initramfs: 'rhcos-418.94.202410090804-0-live-initramfs.x86_64.img',
  rootfs: 'rhcos-418.94.202410090804-0-live-rootfs.x86_64.img',
  metal: 'rhcos-418.94.202410090804-0-metal.x86_64.raw.gz',
};

/** Generated files by design, images and stage. Tests do not change a design in place. */
const filesByDesign = new WeakMap<Design, WeakMap<RhcosImageNames, Map<Stage, readonly GeneratedFile[]>>>();

function generateCached(design: Design, stage: Stage, images: RhcosImageNames): readonly GeneratedFile[] {
  const byImages = filesByDesign.get(design) ?? new WeakMap<RhcosImageNames, Map<Stage, readonly GeneratedFile[]>>();
  filesByDesign.set(design, byImages);
  const byStage = byImages.get(images) ?? new Map<Stage, readonly GeneratedFile[]>();
  byImages.set(images, byStage);
  const files =
    byStage.get(stage) ??
    generateFiles({ design, stage, credentials: exampleCredentials, images, previous: null }).files;
  byStage.set(stage, files);
  return files;
}

/** Generates the text of one file of a design. */
export function generateFileText(
  design: Design,
  file: string,
  stage: Stage = 'install',
  images: RhcosImageNames = exampleImages,
): string {
  const files = generateCached(design, stage, images);
  const found = files.find((candidate) => candidate.file === file);
  if (!found) throw new Error(`${file} is not among ${files.map((candidate) => candidate.file).join(', ')}`);
  return found.content;
}

/** Endpoint of `balancerPairDesign` for the API and routes, by family. */
export const V4 = '172.16.0.111';
export const V6 = 'fd00:16::111';

/** Returns two load balancers, both families, and endpoints that are neither's own address. */
export function balancerPairDesign(os: 'debian' | 'rhel9' = 'debian'): Design {
  const { services, nodes, networks, endpoints } = exampleSite();
  const servers: ServiceHost[] = [
    { name: 'lb1', ip: ['172.16.0.112', 'fd00:16::112'], os },
    { name: 'lb2', ip: ['172.16.0.113', 'fd00:16::113'], os },
  ];
  return exampleSite({
    nodes: nodes.map((node, index) => ({ ...node, ip: [...node.ip, `fd00:16::${index + 1}`] })),
    networks: { ...networks, machine: [...networks.machine, { cidr: 'fd00:16::/64', gateway: null }] },
    endpoints: { ...endpoints, api: [V4, V6], ingress: [V4, V6] },
    services: { ...services, loadBalancer: { kind: 'haproxy', servers } },
  });
}

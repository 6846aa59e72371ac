import { designRules as words } from '../../text/en/design-rules.ts';
import type { Design, DesignNode } from '../model.ts';
import { isDevice, isKernelArgument } from '../text-forms.ts';
import { versionProfile } from '../versions.ts';
import { MINIMUM } from './origins.ts';
import { perNode } from './per-node.ts';
import type { Rule } from './rule.ts';

/** The documented minimum in vCPU, GiB of memory and GiB of disk; infra and storage nodes are compute nodes to the documents. */
function minimumOf(role: DesignNode['role'], design: Design): readonly [number, number, number] {
  if (design.topology === 'single-node') return [versionProfile(design.openshift.version).singleNodeVcpu, 16, 100];
  return role === 'bootstrap' || role === 'control-plane' ? [4, 16, 100] : [2, 8, 100];
}

const sizing = perNode(
  {
    id: 'node-size',
    restsOn: [['openshift'], ['topology'], ['nodes']],
    severity: 'warning',
    source: MINIMUM,
    title: words.sizing.title,
  },
  ({ role, vcpu, memoryGiB, diskGiB }, report, design) => {
    const [leastVcpu, leastMemory, leastDisk] = minimumOf(role, design);
    const { fix } = words.sizing;
    if (vcpu < leastVcpu) report(['vcpu'], { message: words.sizing.vcpu(vcpu, leastVcpu, role), fix });
    if (memoryGiB < leastMemory)
      report(['memoryGiB'], { message: words.sizing.memory(memoryGiB, leastMemory, role), fix });
    if (diskGiB < leastDisk) report(['diskGiB'], { message: words.sizing.disk(diskGiB, leastDisk, role), fix });
  },
);

const installDisk = perNode(
  {
    id: 'install-disk',
    severity: 'error',
    source: 'coreos/coreos-installer scripts/coreos-installer-service: install_dev',
    title: words.installDisk.title,
  },
  ({ installDisk }, report) => {
    if (isDevice(installDisk)) return;
    report(['installDisk'], { message: words.installDisk.message(installDisk), fix: words.installDisk.fix });
  },
);

const secureBootBios = perNode(
  {
    id: 'secure-boot-bios',
    severity: 'error',
    source: 'UEFI specification chapter 32',
    title: words.secureBootBios.title,
  },
  ({ secureBoot, firmware }, report) => {
    if (!secureBoot || firmware !== 'bios') return;
    report(['secureBoot'], { message: words.secureBootBios.message, fix: words.secureBootBios.fix });
  },
);

const secureBootIpxe = perNode(
  {
    id: 'secure-boot-ipxe',
    restsOn: [['services', 'boot']],
    severity: 'warning',
    source: 'iPXE of the distributions carries no signature of the Microsoft CA',
    title: words.secureBootIpxe.title,
  },
  ({ secureBoot }, report, design) => {
    if (!secureBoot || design.services.boot.kind !== 'ipxe') return;
    report(['secureBoot'], { message: words.secureBootIpxe.message, fix: words.secureBootIpxe.fix });
  },
);

const kernelArgument = perNode(
  {
    id: 'kernel-argument',
    severity: 'error',
    source: 'the arguments pass through iPXE, GRUB and the kernel, which split and expand differently',
    title: words.kernelArgument.title,
  },
  ({ kernelArguments }, report) => {
    for (const [index, text] of kernelArguments.entries()) {
      if (isKernelArgument(text)) continue;
      const said = { message: words.kernelArgument.message(text), fix: words.kernelArgument.fix };
      report(['kernelArguments', index], said);
    }
  },
);

export const nodeRules: readonly Rule[] = [sizing, installDisk, secureBootBios, secureBootIpxe, kernelArgument];

/** Texts of the design pages. */
import { SHORTCUTS } from '../../shortcuts.ts';
import { plural } from '../plural.ts';

export const designWords = {
  design: {
    roleTotal: (count: number, role: string, vcpu: number, memory: number) =>
      `${count} ${role}: ${vcpu} vCPU, ${memory} GiB`,
    all: 'in all',
    size: (vcpu: number, memory: number) => `${vcpu} vCPU ${memory} GiB`,
  },
  nodes: {
    empty: `No nodes yet: press ${SHORTCUTS.add} to add one, or paste a table.`,
    deleted: (name: string) => `${name === '' ? 'The node' : name} is deleted. ${SHORTCUTS.undo} brings it back.`,
    sorted: {
      role: `Sorted by role. ${SHORTCUTS.sort} sorts by name.`,
      name: `Sorted by name. ${SHORTCUTS.sort} sorts by address.`,
      ip: `Sorted by address. ${SHORTCUTS.sort} sorts by role.`,
    },
    filled: (count: number, left: number) =>
      left === 0
        ? `${plural(count, 'node')} filled. ${SHORTCUTS.undo} undoes it.`
        : `${plural(count, 'node')} filled; ${left} not, because no free address or number is left. ${SHORTCUTS.undo} undoes it.`,
    fill: {
      title: (name: string, role: string) => `Fill down from ${name} into the ${role} nodes below it`,
      titleAcross: (name: string) => `Fill down from ${name} into all nodes below it`,
      otherRoles: 'other roles too',
      sameRole: 'same role only',
      why: 'Each node gets its own value: names, addresses and MACs count up, sizes are copied. Addresses in use are skipped.',
      labels: { name: 'Names', ip: 'Addresses', mac: 'MAC addresses', sizes: 'Sizes and install disk' },
      range: (first: string, last: string) => (first === last ? first : `${first} to ${last}`),
      copied: (vcpu: string, memory: string, disk: string) => `${vcpu} vCPU, ${memory} GiB, disk ${disk} GiB`,
      nothing: 'nothing to count from',
      noTargets: 'There is no node below with the same role; Right includes other roles.',
      noneBelow: 'There is no node below this one.',
    },
    needFix: (count: number) =>
      count === 1 ? 'Fix one problem in the node table first.' : `Fix ${count} problems in the node table first.`,
  },
};

import { expect, test } from 'vitest';
import { getMirrorImageNames, parseImageNames } from '../../../src/artifacts/boot/images.ts';

const BUILD =
  'https://rhcos.mirror.openshift.com/art/storage/prod/streams/4.18-9.4/builds/418.94.202410090804-0/x86_64';
const imageFile = (suffix: string) => ({ location: `${BUILD}/rhcos-418.94.202410090804-0-${suffix}`, sha256: 'ab' });
const pxe = {
  kernel: imageFile('live-kernel-x86_64'),
  initramfs: imageFile('live-initramfs.x86_64.img'),
  rootfs: imageFile('live-rootfs.x86_64.img'),
};
const stream = (formats: object) => ({
  stream: 'rhcos-4.18',
  architectures: { x86_64: { artifacts: { metal: { release: '418.94.202410090804-0', formats } } } },
});

test('takes base names from the stream', () => {
  expect(parseImageNames(stream({ pxe, 'raw.gz': { disk: imageFile('metal.x86_64.raw.gz') } }), 'x86_64')).toEqual({
    release: '418.94.202410090804-0',
    kernel: 'rhcos-418.94.202410090804-0-live-kernel-x86_64',
    initramfs: 'rhcos-418.94.202410090804-0-live-initramfs.x86_64.img',
    rootfs: 'rhcos-418.94.202410090804-0-live-rootfs.x86_64.img',
    metal: 'rhcos-418.94.202410090804-0-metal.x86_64.raw.gz',
  });
});

test.each([
  ['not a stream', {}],
  ['another architecture', { architectures: {} }],
  ['a location that is no URL', stream({ pxe: { ...pxe, kernel: { location: 'kernel' } } })],
  ['a name with a blank', stream({ pxe: { ...pxe, kernel: { location: 'https://x/a b' } } })],
  ['a name with a query', stream({ pxe: { ...pxe, kernel: { location: 'https://x/a?b' } } })],
])('refuses %s', (_name, json) => {
  expect(() => parseImageNames(json, 'x86_64')).toThrow('boot images cannot be read');
});

test.each([
  ['4.5', 'rhcos-installer-kernel-x86_64', null, 'rhcos-metal.x86_64.raw.gz'],
  ['4.6', 'rhcos-live-kernel-x86_64', 'rhcos-live-rootfs.x86_64.img', null],
  ['4.18.11', 'rhcos-live-kernel-x86_64', 'rhcos-live-rootfs.x86_64.img', null],
  ['4.19', 'rhcos-live-kernel.x86_64', 'rhcos-live-rootfs.x86_64.img', null],
  ['5.0', 'rhcos-live-kernel.x86_64', 'rhcos-live-rootfs.x86_64.img', null],
])('names on the mirror for %s', (version, kernel, rootfs, metal) => {
  expect(getMirrorImageNames(version, 'x86_64')).toMatchObject({ kernel, rootfs, metal });
});

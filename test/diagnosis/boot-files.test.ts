import { expect, test } from 'vitest';
import { programVerdict, scriptVerdict } from '../../src/diagnosis/site/boot-files.ts';

test('a script is judged as iPXE would run it', () => {
  expect(scriptVerdict('# !ipxe\n').state).toBe('failed');
  expect(scriptVerdict('#!ipxe\n:a\ngoto b\n').state).toBe('failed');
  expect(scriptVerdict('#!ipxe\n:a\n:a\n').state).toBe('failed');
  expect(scriptVerdict('#!ipxe\nchian a.ipxe || goto x\n:x\n').detail).toContain('chian');
  expect(scriptVerdict('#!ipxe\nchain a.ipxe || shel\n').state).toBe('failed');
  // A jump by a variable goes to what a person chose.
  expect(scriptVerdict('#!ipxe\n:a\ngoto a\ngoto ${chosen}\n').state).toBe('ok');
});

test('what TFTP hands out is a boot program, whole', () => {
  const judged = (path: string, bytes: number | null, head = 'MZ') =>
    programVerdict(path, { state: bytes === null ? 'refused' : 'fetched', bytes, head, detail: 'File not found' });
  expect(judged('ipxe.efi', 900_000).state).toBe('ok');
  expect(judged('undionly.kpxe', 70_000, '\xea\x0b').state).toBe('ok');
  expect(judged('ipxe.efi', 0).state).toBe('failed');
  expect(judged('undionly.kpxe', 4096).detail).toContain('only 4096 bytes');
  expect(judged('ipxe.efi', 70_000, '<h').detail).toContain('no UEFI program');
  expect(judged('ipxe.efi', null)).toEqual({ state: 'failed', detail: 'File not found' });
});

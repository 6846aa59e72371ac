import { expect, test } from 'vitest';
import { evaluateBootProgram, evaluateIpxeScript } from '../../src/checks/site/boot-files.ts';

test('a script is evaluated as iPXE would run it', () => {
  expect(evaluateIpxeScript('# !ipxe\n').state).toBe('failed');
  expect(evaluateIpxeScript('#!ipxe\n:a\ngoto b\n').state).toBe('failed');
  expect(evaluateIpxeScript('#!ipxe\n:a\n:a\n').state).toBe('failed');
  expect(evaluateIpxeScript('#!ipxe\nchian a.ipxe || goto x\n:x\n').detail).toContain('chian');
  expect(evaluateIpxeScript('#!ipxe\nchain a.ipxe || shel\n').state).toBe('failed');
  // A jump to a variable follows the user's choice.
  expect(evaluateIpxeScript('#!ipxe\n:a\ngoto a\ngoto ${chosen}\n').state).toBe('ok');
});

test('TFTP must serve a complete boot program', () => {
  const evaluateDownload = (path: string, bytes: number | null, head = 'MZ') =>
    evaluateBootProgram(path, { state: bytes === null ? 'refused' : 'fetched', bytes, head, detail: 'File not found' });
  expect(evaluateDownload('ipxe.efi', 900_000).state).toBe('ok');
  expect(evaluateDownload('undionly.kpxe', 70_000, '\xea\x0b').state).toBe('ok');
  expect(evaluateDownload('ipxe.efi', 0).state).toBe('failed');
  expect(evaluateDownload('undionly.kpxe', 4096).detail).toContain('only 4096 bytes');
  expect(evaluateDownload('ipxe.efi', 70_000, '<h').detail).toContain('not a UEFI program');
  expect(evaluateDownload('ipxe.efi', null)).toEqual({ state: 'failed', detail: 'File not found' });
});

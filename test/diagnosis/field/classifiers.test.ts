import { expect, test } from 'vitest';
import { formatServiceRecord, LOG_BUNDLE } from '../../support/bundle-text.ts';
import { matchAssistedSignature } from './classifiers/assisted-installer.ts';
import { analyzeLikeInstaller } from './classifiers/installer-analyze.ts';

// The public patterns of others, on files that they recognize and on files that they do not.

const records = (releaseImage: string | null, bootkube: string | null) =>
  Object.fromEntries(
    Object.entries({ 'release-image': releaseImage, bootkube }).flatMap(([name, text]) =>
      text === null ? [] : [[`${LOG_BUNDLE}/bootstrap/services/${name}.json`, text]],
    ),
  );
const good = formatServiceRecord(['pull-release-image']);

test('the analysis of the installer names the first service of the bootstrap that did not succeed, and its stage', () => {
  const failed = formatServiceRecord([], { stage: 'cb-bootstrap', message: 'Error: timed out' });
  expect(analyzeLikeInstaller(records(good, good))).toBe(null);
  expect(analyzeLikeInstaller(records(failed, good))).toBe('release-image failed');
  expect(analyzeLikeInstaller(records(good, failed))).toBe('bootkube failed at "cb-bootstrap"');
  expect(analyzeLikeInstaller(records(good, null))).toBe('bootkube did not run');
  expect(analyzeLikeInstaller(records(null, good))).toBe('release-image did not run');
  expect(analyzeLikeInstaller({ [`${LOG_BUNDLE}/gather.log`]: '' })).toBe('invalid bundle');
  expect(analyzeLikeInstaller({ 'pasted.txt': 'Pull failed' })).toBe(null);
});

test('a signature of assisted-installer counts in its own files, and in a pasted text', () => {
  const line = 'Nov 22 11:00:00 bs release-image-download.sh[811]: Pull failed. Retrying quay.io/x...';
  expect(matchAssistedSignature({ 'pasted.txt': line })).toBe('ReleasePullError');
  expect(matchAssistedSignature({ [`${LOG_BUNDLE}/bootstrap/journals/release-image.log`]: line })).toBe(
    'ReleasePullError',
  );
  expect(matchAssistedSignature({ [`${LOG_BUNDLE}/bootstrap/journals/kubelet.log`]: line })).toBe(null);
  expect(matchAssistedSignature({ 'pasted.txt': 'hello' })).toBe(null);
  const status = `${LOG_BUNDLE}/control-plane/172.16.0.21/rpm-ostree/status`;
  expect(matchAssistedSignature({ [status]: 'State: idle\nDeployments:\n* ostree://x' })).toBe('MissingOSTreePivot');
  expect(matchAssistedSignature({ [status]: 'State: idle\nDeployments:\n* pivot://quay.io/x' })).toBe(null);
});

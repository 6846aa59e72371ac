import type { JsonRecord } from './objects.ts';

/**
 * The response of /version.
 * @param gitVersion `v1.31.6`
 */
export function buildVersionInfo(gitVersion: string): JsonRecord {
  const [, major = '1', minor = '0'] = /^v(\d+)\.(\d+)/.exec(gitVersion) ?? [];
  return {
    major,
    minor,
    gitVersion,
    gitCommit: '0000000000000000000000000000000000000000',
    gitTreeState: 'clean',
    buildDate: '2025-01-01T00:00:00Z',
    goVersion: 'go1.22.9 (Red Hat 1.22.9-1.el9)',
    compiler: 'gc',
    platform: 'linux/amd64',
  };
}

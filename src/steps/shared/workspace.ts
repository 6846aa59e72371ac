import { join } from 'node:path';

/** Returns the paths in an install directory, which is openshift-install's own directory too. */
export function workspace(dir: string) {
  return {
    dir,
    /** Internal files that are no results: session, jobs, logs. */
    stateDir: join(dir, '.upi-wizard'),
    jobsDir: join(dir, '.upi-wizard', 'jobs'),
    /** The generated files, by host. */
    filesDir: join(dir, 'files'),
    hostFilesDir: (host: string) => join(dir, 'files', host),
    /** Credentials that the user pasted instead of naming their file. */
    pastedPullSecret: join(dir, '.upi-wizard', 'pull-secret.json'),
    pastedSshKey: join(dir, '.upi-wizard', 'ssh-key.pub'),
    kubeconfig: join(dir, 'auth', 'kubeconfig'),
    kubeadminPassword: join(dir, 'auth', 'kubeadmin-password'),
    /** The CA that signs the console's certificate, for browsers. */
    consoleAuthority: join(dir, 'console-ca.crt'),
    bootLog: join(dir, '.upi-wizard', 'boot-requests.ndjson'),
    bootConfig: join(dir, '.upi-wizard', 'boot-server.json'),
    /** The ignition file of a role: as the installer wrote it, and as it was read from the cluster. */
    ignitionFile: (role: string) => join(dir, `${role}.ign`),
    clusterIgnitionFile: (role: string) => join(dir, '.upi-wizard', `${role}.ign`),
    installerLog: join(dir, '.openshift_install.log'),
    installConfigCopy: join(dir, '.upi-wizard', 'install-config.yaml'),
    /** Archived files of earlier runs of the installer, numbered. */
    archiveDir: join(dir, '.upi-wizard', 'aside'),
    report: join(dir, 'report.md'),
    reportHtml: join(dir, 'report.html'),
  } as const;
}

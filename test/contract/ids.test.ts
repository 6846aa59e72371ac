import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BOOT_CHECKS } from '../../src/checks/boot/checks.ts';
import { CERTIFICATE_CHECKS } from '../../src/checks/certificates.ts';
import { CHECK_PHASES } from '../../src/checks/check.ts';
import { FILE_CHECKS } from '../../src/checks/files.ts';
import { JOB_CHECKS, LOGOUT_CHECKS } from '../../src/checks/jobs.ts';
import { MACHINE_CHECK_IDS } from '../../src/checks/machine/checks.ts';
import { OPEN_ISSUE_CHECKS } from '../../src/checks/open-issues.ts';
import { JOIN_PREPARE_CHECKS, PREPARE_CHECKS } from '../../src/checks/prepare/checks.ts';
import { DIAGNOSTIC_RULES } from '../../src/checks/rules/index.ts';
import { SITE_CHECKS } from '../../src/checks/site/index.ts';
import { COMMAND_NAMES, COMMON_OPTIONS, getCommand } from '../../src/cli/commands.ts';
import { TOPIC_NAMES } from '../../src/cli/word-lists.ts';
import * as choices from '../../src/design/choices.ts';
import { CREDENTIAL_RULES } from '../../src/design/credentials.ts';
import { RULE_GROUPS } from '../../src/design/rules/index.ts';
import { PARSE_RULES } from '../../src/design/rules/rule.ts';
import { english } from '../../src/i18n/en/index.ts';
import { MOVES } from '../../src/infra/moves.ts';
import { MOVE_STATUS_CHECKS } from '../../src/infra/status-checks.ts';
import { FAULTS } from '../../src/rehearsal/site/faults.ts';
import { STEP_ACTION_TYPES, STEP_IDS } from '../../src/steps/contract.ts';
import { EVENTS } from '../../src/steps/events.ts';
import { CSR_APPROVAL_JOB } from '../../src/steps/shared/jobs.ts';
import { BOOT_SERVER_JOB } from '../../src/steps/shared/machines/boot-server-job.ts';
import { SCREEN_IDS } from '../../src/wizard/state.ts';
import { listCheckIds, readSources } from '../support/check-ids.ts';

const src = join(import.meta.dirname, '../../src');
const ids = (rules: readonly { readonly id: string }[]) => [...new Set(rules.map(({ id }) => id))].toSorted();

/** Reads the codes of errors and findings that the sources spell out. Scripts read them, and the journal holds them. */
function readErrorCodes(): readonly string[] {
  const sources = readSources(src, (name) => !name.startsWith('rehearsal/'));
  const codes = [...sources.matchAll(/\bcode: '([a-z0-9-]+)'/g)].map(([, code]) => code ?? '');
  return [...new Set([...codes, ...listCheckIds()])].toSorted();
}

test('names that scripts, saved sessions and other users rely on do not change', async () => {
  const contract = {
    commands: Object.fromEntries(
      COMMAND_NAMES.map((name) => {
        const { options, operand = null } = getCommand(name);
        return [
          name,
          { options: Object.keys(options).toSorted(), operand: operand && `${operand.kind}, ${operand.count}` },
        ];
      }),
    ),
    commonOptions: Object.keys(COMMON_OPTIONS),
    helpTopics: TOPIC_NAMES,
    exitCodes: Object.keys(english.help.exitCodes.codes),
    words: {
      architectures: choices.ARCHITECTURES,
      topologies: choices.TOPOLOGIES,
      roles: choices.NODE_ROLES,
      operatingSystems: choices.HOST_OS_NAMES,
      stages: choices.STAGES,
      phases: CHECK_PHASES,
    },
    screens: SCREEN_IDS,
    steps: STEP_IDS,
    stepActions: STEP_ACTION_TYPES,
    events: EVENTS,
    jobs: [BOOT_SERVER_JOB, CSR_APPROVAL_JOB],
    moves: MOVES.map(({ name }) => name),
    faults: FAULTS,
    csrReasons: Object.keys(english.csr.reasons).toSorted(),
    rules: {
      reading: [...PARSE_RULES].toSorted(),
      credentials: Object.keys(CREDENTIAL_RULES).toSorted(),
      design: Object.fromEntries(Object.entries(RULE_GROUPS).map(([family, rules]) => [family, ids(rules)])),
      diagnosis: ids(DIAGNOSTIC_RULES),
    },
    checks: {
      site: SITE_CHECKS.map(({ id, phase, severity }) => `${id} ${phase} ${severity}`),
      machine: [...MACHINE_CHECK_IDS].toSorted(),
      prepare: ids([...PREPARE_CHECKS, ...JOIN_PREPARE_CHECKS]),
      boot: ids(BOOT_CHECKS),
      certificates: ids(CERTIFICATE_CHECKS),
      jobs: ids([...JOB_CHECKS, ...LOGOUT_CHECKS]),
      others: ids([...FILE_CHECKS, ...OPEN_ISSUE_CHECKS, ...MOVE_STATUS_CHECKS]),
    },
    errorCodes: readErrorCodes(),
  };
  await expect(`${JSON.stringify(contract, null, 1)}\n`).toMatchFileSnapshot('../golden/contract/ids.json');
});

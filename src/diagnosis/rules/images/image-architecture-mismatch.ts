import { diagnosticRule, matchLogLines, symptomsFromLines } from '../diagnostic-rule.ts';

/** The release and the machine have different processor architectures. */
export const imageArchitectureMismatch = diagnosticRule('image-architecture', 'requirements', (evidence) =>
  symptomsFromLines(
    matchLogLines(
      evidence,
      /exec(?: user process caused:)?:? .*exec format error|exec format error|no (?:matching manifest|image found in (?:manifest list|image index)) for (?:architecture|linux)/i,
    ).slice(-1),
    'certain',
    'uname -m; oc adm release info --registry-config pull-secret.txt IMAGE | grep -i arch',
  ),
);

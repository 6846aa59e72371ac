/** The prefix of a subject of Boot that revokes or grants a node's access to its ignition file. */
export const IGNITION_SUBJECT_PREFIX = 'ignition/';

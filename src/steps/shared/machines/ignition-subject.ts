/** Begins the subject with which Boot is asked to end that a node may fetch its ignition file, or to let it in again. */
export const IGNITION_OF = 'ignition/';

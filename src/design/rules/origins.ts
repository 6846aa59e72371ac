// Where many of the rules come from.
export const INSTALLER = 'openshift/installer pkg/types/validation/installconfig.go';
export const ASSISTED = 'openshift/assisted-service internal/network/cidr_validations.go';
export const MINIMUM = 'openshift-docs modules/installation-minimum-resource-requirements.adoc';
export const DRACUT = 'openshift-docs modules/installation-user-infra-machines-static-network.adoc';

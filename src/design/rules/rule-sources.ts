// Sources that several rules share.
export const INSTALLER_VALIDATION = 'openshift/installer pkg/types/validation/installconfig.go';
export const ASSISTED_VALIDATION = 'openshift/assisted-service internal/network/cidr_validations.go';
export const MINIMUM_RESOURCES = 'openshift-docs modules/installation-minimum-resource-requirements.adoc';
export const STATIC_NETWORK = 'openshift-docs modules/installation-user-infra-machines-static-network.adoc';

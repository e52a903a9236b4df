import { oneLine } from '#kit'

/** An address with a host; "http://" alone is not one. */
const address = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>\\]*[^\s"'<>\\.,;:!?)\]]/gi

/** Text without addresses: a model must not see where a provider is reached, or with which parameters. */
export const withoutAddresses = (text: string): string => oneLine(text).replace(address, '…')

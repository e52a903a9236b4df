import { oneLine } from '#kit'

/** Matches an address with a host; "http://" alone is not one. */
const address = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>\\]*[^\s"'<>\\.,;:!?)\]]/gi

/** Replaces addresses in a text: a model must not see where a provider is reached, or with which parameters. */
export const withoutAddresses = (text: string): string => oneLine(text).replace(address, '…')

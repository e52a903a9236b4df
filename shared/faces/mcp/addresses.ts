import { oneLine } from '#kit'

/** An address with a host; "http://" alone, as in a remedy, is none. */
const address = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>\\]*[^\s"'<>\\.,;:!?)\]]/gi

/** A sentence without addresses: where a provider is reached and with which parameters is not for a model. */
export const withoutAddresses = (text: string): string => oneLine(text).replace(address, '…')

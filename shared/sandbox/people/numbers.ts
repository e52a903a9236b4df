/**
 * Business numbers of invented companies, with correct check digits. The serial ranges are far beyond those assigned by
 * the registers, so that no number here belongs to a real business.
 */
const weigh = (digits: string, weights: number[]): number =>
  weights.reduce((sum, weight, index) => sum + weight * Number(digits[index]), 0)

/** 9 digits: `serial` below 1,000,000 in the range 97x xxx xxx, then the check digit. */
export const acnOf = (serial: number): string => {
  const digits = `97${String(serial).padStart(6, '0')}`
  return digits + String((10 - (weigh(digits, [8, 7, 6, 5, 4, 3, 2, 1]) % 10)) % 10)
}

/** 11 digits: two check digits in front of the ACN, chosen so that the weighted sum is a multiple of 89. */
export const abnOf = (acn: string): string => {
  // The rule subtracts 1 from the first digit, so two check digits c are worth 10 * (first - 1) + second = c - 10.
  const weightedSum = weigh(acn, [3, 5, 7, 9, 11, 13, 15, 17, 19])
  return String(10 + ((89 - (weightedSum % 89)) % 89)) + acn
}

/** 13 digits: a GS1 location number with the New Zealand prefix, then the check digit. */
export const nzbnOf = (serial: number): string => {
  const digits = `942999${String(serial).padStart(6, '0')}`
  return digits + String((10 - (weigh(digits, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3]) % 10)) % 10)
}

/** CRC-8 with polynomial 0x07, initial value 0, no reflection, no final xor: the check of every number of the service. */
const TABLE = Uint8Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit++) remainder = remainder & 0x80 ? ((remainder << 1) ^ 0x07) & 0xff : remainder << 1;
  return remainder;
});

/** Over the characters of an ASCII text. */
export function crc8(text: string): number {
  let remainder = 0;
  for (let index = 0; index < text.length; index++) {
    remainder = TABLE[(remainder ^ text.charCodeAt(index)) & 0xff]!;
  }
  return remainder;
}

/** As two upper-case hexadecimal digits. */
export function crc8Hex(text: string): string {
  return hex(crc8(text), 2);
}

/** Upper-case hexadecimal with leading zeros. */
export function hex(number: number, length: number): string {
  return number.toString(16).toUpperCase().padStart(length, '0');
}

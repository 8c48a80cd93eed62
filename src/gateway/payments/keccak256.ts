const LANE = 0xffff_ffff_ffff_ffffn;
const ROUNDS = 24;
/** Bytes that one permutation takes in: 1088 bits, for a digest of 256 (FIPS 202 table 3). */
const RATE_BYTES = 136;
const DIGEST_BYTES = 32;

/** Constants of the step iota and offsets of the step rho, made as FIPS 202, algorithms 5 and 2, make them. */
const ROUND_CONSTANTS = roundConstants();
const { offsets: OFFSETS, places: PLACES } = rotations();

/**
 * Keccak-256 as Ethereum has it: that of before FIPS 202, whose padding begins with 0x01 and not with 0x06. WebCrypto has none.
 *
 * @returns 32 bytes.
 */
export function keccak256(message: Uint8Array): Uint8Array {
  const padded = new Uint8Array((Math.floor(message.length / RATE_BYTES) + 1) * RATE_BYTES);
  padded.set(message);
  padded[message.length] = 0x01;
  padded[padded.length - 1] = (padded[padded.length - 1] ?? 0) | 0x80;
  const words = new DataView(padded.buffer);
  let state = new Array<bigint>(25).fill(0n);
  for (let block = 0; block < padded.length; block += RATE_BYTES) {
    for (let lane = 0; lane < RATE_BYTES / 8; lane += 1) state[lane] = (state[lane] ?? 0n) ^ words.getBigUint64(block + lane * 8, true);
    state = permute(state);
  }
  const digest = new DataView(new ArrayBuffer(DIGEST_BYTES));
  for (let lane = 0; lane < DIGEST_BYTES / 8; lane += 1) digest.setBigUint64(lane * 8, state[lane] ?? 0n, true);
  return new Uint8Array(digest.buffer);
}

function permute(given: readonly bigint[]): bigint[] {
  let state = [...given];
  const at = (index: number): bigint => state[index] ?? 0n;
  for (let round = 0; round < ROUNDS; round += 1) {
    const columns = [0, 1, 2, 3, 4].map((x) => at(x) ^ at(x + 5) ^ at(x + 10) ^ at(x + 15) ^ at(x + 20));
    const column = (x: number): bigint => columns[x % 5] ?? 0n;
    state = state.map((lane, index) => lane ^ column((index % 5) + 4) ^ rotate(column((index % 5) + 1), 1n));
    const moved = new Array<bigint>(25).fill(0n);
    for (let index = 0; index < 25; index += 1) moved[PLACES[index] ?? 0] = rotate(at(index), OFFSETS[index] ?? 0n);
    const row = (index: number, step: number): bigint => moved[index - (index % 5) + ((index + step) % 5)] ?? 0n;
    state = moved.map((lane, index) => lane ^ (~row(index, 1) & LANE & row(index, 2)));
    state[0] = at(0) ^ (ROUND_CONSTANTS[round] ?? 0n);
  }
  return state;
}

function rotate(lane: bigint, by: bigint): bigint {
  return ((lane << by) | (lane >> (64n - by))) & LANE;
}

function roundConstants(): bigint[] {
  let register = 1;
  return Array.from({ length: ROUNDS }, () => {
    let constant = 0n;
    for (let step = 0; step <= 6; step += 1) {
      if (register & 1) constant |= 1n << BigInt(2 ** step - 1);
      register = register & 0x80 ? ((register << 1) ^ 0x171) & 0xff : register << 1;
    }
    return constant;
  });
}

/** For each lane how far it is rotated (rho), and where it goes then (pi). */
function rotations(): { offsets: bigint[]; places: number[] } {
  const offsets = new Array<bigint>(25).fill(0n);
  let [x, y] = [1, 0];
  for (let step = 0; step < ROUNDS; step += 1) {
    offsets[x + 5 * y] = BigInt((((step + 1) * (step + 2)) / 2) % 64);
    [x, y] = [y, (2 * x + 3 * y) % 5];
  }
  const places = offsets.map((_, index) => Math.floor(index / 5) + 5 * ((2 * (index % 5) + 3 * Math.floor(index / 5)) % 5));
  return { offsets, places };
}

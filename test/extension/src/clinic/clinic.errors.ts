/** No vet has this name. */
export class UnknownVet extends Error {
  constructor(readonly vet: string) {
    super(`The clinic has no vet ${vet}.`);
  }
}

/** The clinic sees no animals now. */
export class ClinicClosed extends Error {}

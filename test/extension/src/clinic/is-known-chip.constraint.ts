import { ValidatorConstraint, type ValidatorConstraintInterface } from 'class-validator';

const KNOWN_CHIPS = new Set(['276-1', '276-2']);

@ValidatorConstraint({ name: 'isKnownChip', async: true })
export class IsKnownChip implements ValidatorConstraintInterface {
  validate(chipNumber: string): Promise<boolean> {
    return new Promise((resolve) => setImmediate(() => resolve(KNOWN_CHIPS.has(chipNumber))));
  }

  defaultMessage(): string {
    return 'No animal has the chip $value.';
  }
}

import { PetEntity } from 'petstore';
import { Column, Entity, Index } from 'typeorm';

/** The table of animals, with the columns of the shelter. */
@Entity('pet')
@Index('pet_shelter_microchip_idx', ['shelterMicrochip', 'id'])
export class ShelterPetEntity extends PetEntity {
  @Column('text', { name: 'shelter_tags', array: true, nullable: true })
  shelterTags!: string[] | null;

  @Column('text', { name: 'shelter_microchip', nullable: true })
  shelterMicrochip!: string | null;
}
